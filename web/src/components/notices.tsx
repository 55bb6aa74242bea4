/**
 * Failure notices. Any code may raise one; the component that draws them is fetched with the first,
 * because most visits never see one and the sign-in page should not carry it.
 */
import { lazy, Suspense } from 'react'
import { create } from 'zustand'
import type { ApiError } from '../api/errors'

interface Notices {
  waiting: ApiError[]
  everRaised: boolean
}

export const useNotices = create<Notices>()(() => ({ waiting: [], everRaised: false }))

export function showFailure(error: ApiError): void {
  useNotices.setState(({ waiting }) => ({ waiting: [...waiting, error], everRaised: true }))
}

/** Hands over what is waiting, exactly once. */
export function takeNotices(): ApiError[] {
  const { waiting } = useNotices.getState()
  if (waiting.length > 0) useNotices.setState({ waiting: [] })
  return waiting
}

const NoticeStack = lazy(() => import('./NoticeStack'))

export function NoticeHost() {
  const everRaised = useNotices((state) => state.everRaised)
  return everRaised ? (
    <Suspense fallback={null}>
      <NoticeStack />
    </Suspense>
  ) : null
}
