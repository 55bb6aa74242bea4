/** WeChat Work and Feishu: signing in by an account there, binding one, letting it go. */
import { call, http, type CallOptions } from './client'

export const CHAT_PROVIDERS = ['wechatwork', 'feishu'] as const
export type ChatProvider = (typeof CHAT_PROVIDERS)[number]

const IN_FORM: CallOptions = { handles401: true }

/** The provider's own page, to sign in there. `redirect` is where to be afterwards. */
export function chatSignInUrl(provider: ChatProvider, redirect?: string): Promise<string> {
  return authorizeUrl(provider, { purpose: 'login', redirect }, IN_FORM)
}

/** The provider's own page, to bind an account there to the signed-in person. */
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
