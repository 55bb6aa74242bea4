/**
 * Failure notices. Any code may raise one; the component that renders them loads with the first,
 * because most visits never see one and the sign-in page shouldn't carry it.
 */
import { create } from 'zustand'
import type { ApiError } from '../../api/errors'
import { onDemand } from '../onDemand'

export interface Notice {
  /** The text; equal notices are shown once. */
  key: string
  error: ApiError
}

interface Notices {
  waiting: Notice[]
  /** Keys of the notices on screen. */
  shown: readonly string[]
}

export const useNotices = create<Notices>()(() => ({ waiting: [], shown: [] }))

/** Ten calls that fail for the same reason make one notice. */
export function showFailure(error: ApiError): void {
  const key = error.message
  useNotices.setState(({ waiting, shown }) =>
    shown.includes(key) || waiting.some((notice) => notice.key === key)
      ? {}
      : { waiting: [...waiting, { key, error }] },
  )
}

/** Returns the waiting notices exactly once. */
export function takeNotices(): Notice[] {
  const { waiting, shown } = useNotices.getState()
  if (waiting.length > 0) {
    useNotices.setState({ waiting: [], shown: [...shown, ...waiting.map(({ key }) => key)] })
  }
  return waiting
}

export function noticeClosed(key: string): void {
  useNotices.setState(({ shown }) => ({ shown: shown.filter((other) => other !== key) }))
}

const NoticeStack = onDemand(() => import('./NoticeStack'))

export function NoticeHost() {
  const any = useNotices(({ waiting, shown }) => waiting.length + shown.length > 0)
  return <NoticeStack needed={any} />
}
