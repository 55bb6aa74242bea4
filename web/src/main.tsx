import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startAnalytics } from './analytics/start'
import { App } from './App'
import { bindFailureHandlers } from './api/client'
import { watchConnection } from './api/connection'
import { showFailure } from './components/notices/notices'
import { askForProof } from './components/reauth'
import { offerLanguage } from './i18n/offer'
import { changeLanguage } from './i18n/store'
import { bindNavigator } from './lib/navigation'
import { parseQuery } from './lib/query'
import { admitOwnStyles } from './lib/styleNonce'
import { reportError } from './reports/early'
import { startReports } from './reports/start'
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

watchConnection()

// Before the router stores the URL, and before any request could reveal it.
watchForSignInLink()

// Load the language pack, the route's code, and the start-up calls in parallel.
const { lang } = parseQuery(window.location.search)
offerLanguage(lang)
void changeLanguage(lang)
const router = createRouter()
bindNavigator((to, options) => void router.navigate(to, options))

createRoot(document.getElementById('root')!, {
  onCaughtError(error, { componentStack }) {
    console.error(error)
    reportError(error, componentStack)
  },
}).render(
  <StrictMode>
    <App router={router} />
  </StrictMode>,
)

startReports(router.routes)
startAnalytics(router.routes)
