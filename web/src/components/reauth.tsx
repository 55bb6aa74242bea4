/**
 * "Confirm it's you". Calls that require a recent sign-in wait here together: one dialog, one
 * answer for all. The dialog loads on first use, because most visits never see it.
 */
import { create } from 'zustand'
import { onDemand } from './onDemand'

export const useReauth = create<{ asking: boolean }>()(() => ({ asking: false }))

let waiting: { proof: Promise<boolean>; settle: (proved: boolean) => void } | null = null

/** True once the user has confirmed, false if they gave up. */
export function askForProof(): Promise<boolean> {
  if (!waiting) {
    const { promise, resolve } = withResolver()
    waiting = { proof: promise, settle: resolve }
    useReauth.setState({ asking: true })
  }
  return waiting.proof
}

/** `Promise.withResolvers` for browsers that don't have it yet. */
function withResolver() {
  let resolve!: (proved: boolean) => void
  const promise = new Promise<boolean>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

export function settleProof(proved: boolean): void {
  waiting?.settle(proved)
  waiting = null
  useReauth.setState({ asking: false })
}

// Without the dialog nothing can be confirmed.
const ReauthDialog = onDemand(
  () => import('./ReauthDialog'),
  () => settleProof(false),
)

export function ReauthHost() {
  const asking = useReauth((state) => state.asking)
  return <ReauthDialog needed={asking} />
}
