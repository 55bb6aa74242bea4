/** WeChat Work and Feishu: signing in with an account there, linking one, and unlinking it. */
import { call, http, type CallOptions } from './client'

export const CHAT_PROVIDERS = ['wechatwork', 'feishu'] as const
export type ChatProvider = (typeof CHAT_PROVIDERS)[number]

const IN_FORM: CallOptions = { handles401: true }

/** The provider's sign-in page. `redirect` is where to go afterwards. */
export function chatSignInUrl(provider: ChatProvider, redirect?: string): Promise<string> {
  return authorizeUrl(provider, { purpose: 'login', redirect }, IN_FORM)
}

/** The provider's page for linking an account there to the signed-in user. */
export function chatBindUrl(provider: ChatProvider): Promise<string> {
  return authorizeUrl(provider, { purpose: 'bind' })
}

export function unbindChat(provider: ChatProvider): Promise<unknown> {
  return call(http.POST(`/${provider}/authorize/cancel`))
}

async function authorizeUrl(
  provider: ChatProvider,
  query: { purpose: 'bind' | 'login'; redirect?: string },
  options: CallOptions = {},
): Promise<string> {
  const answer = http.GET(`/${provider}/authorize/url`, { params: { query } })
  return (await call(answer, options)).url
}
