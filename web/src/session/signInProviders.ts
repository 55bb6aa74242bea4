/** Where people can sign in besides Atrium itself: single sign-on and the chat services. */
export const SIGN_IN_PROVIDERS = ['sso', 'wechatwork', 'feishu'] as const
export type SignInProvider = (typeof SIGN_IN_PROVIDERS)[number]

export function readSignInProvider(text: string | null): SignInProvider | null {
  return SIGN_IN_PROVIDERS.find((provider) => provider === text) ?? null
}
