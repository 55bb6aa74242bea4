/**
 * Drawn by hand: the icon package lacks one of them, and its other icons weigh more than all the
 * provider code.
 */
import type { SignInProvider } from '../../session/signInProviders'

const STROKES: Record<SignInProvider | 'own', string> = {
  own: 'M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 015 0v2M8 9.7v1.4',
  sso: 'M8 1.8l5 1.9v4c0 3-2 5.3-5 6.5-3-1.2-5-3.5-5-6.5v-4zM5.7 8l1.7 1.7 3-3.2',
  wechatwork:
    'M6.3 2.5c-2.7 0-4.8 1.7-4.8 3.9 0 1.2.7 2.3 1.7 3l-.4 1.7 1.9-.9q.8.2 1.6.2M9.9 6.6c-2.5 0-4.4 1.5-4.4 3.4s1.9 3.4 4.4 3.4q.7 0 1.4-.2l1.7.8-.4-1.5c1-.6 1.7-1.5 1.7-2.5 0-1.9-1.9-3.4-4.4-3.4z',
  feishu: 'M14 2.2L1.8 7.2l4.5 2 2 4.5zM6.3 9.2L14 2.2',
}

export function ProviderIcon({ of }: { of: SignInProvider | 'own' }) {
  return (
    <svg
      width="1.15em"
      height="1.15em"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={STROKES[of]} />
    </svg>
  )
}
