import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startAnalytics } from './analytics/start'
import { App } from './App'
import { bindFailureHandlers } from './api/client'
import { showFailure } from './components/notices'
import { askForProof } from './components/reauth'
import { changeLanguage } from './i18n/store'
import { bindNavigator } from './lib/navigation'
import { parseQuery } from './lib/query'
import { admitOwnStyles } from './lib/styleNonce'
import { createRouter } from './router/router'
import { leaveForSignIn } from './session/guard'
import { watchForSignInLink } from './session/signInLink'
import './styles/base.css'

admitOwnStyles()
bindFailureHandlers({
  notify: showFailure,
  unauthorized: leaveForSignIn,
  reauthenticate: askForProof,
})

// Before the router keeps the address, and before anything is sent that could name it.
watchForSignInLink()

// The language pack, the route's code and the start-up calls all travel at once.
void changeLanguage(parseQuery(window.location.search).lang)
const router = createRouter()
bindNavigator((to, options) => void router.navigate(to, options))

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App router={router} />
  </StrictMode>,
)

startAnalytics(router.routes)
