/**
 * Asks before unsaved changes are lost. One guard per page, because the router supports only one;
 * the page's forms report to it.
 */
import { createContext, useCallback, useContext, useEffect, useId, useState } from 'react'
import { useBlocker, type Location } from 'react-router'
import { useT } from '../../i18n/useT'
import { parseQuery } from '../../lib/query'
import { isSignInPage } from '../../session/destination'
import { ConfirmDialog } from '../ConfirmDialog'

type Report = (form: string, dirty: boolean) => void

const UnsavedContext = createContext<Report>(() => {})

/** Tells the page's guard whether this form has unsaved changes. */
export function useUnsaved(dirty: boolean): void {
  const form = useId()
  const report = useContext(UnsavedContext)
  useEffect(() => {
    report(form, dirty)
    return () => report(form, false)
  }, [report, form, dirty])
}

interface UnsavedGuardProps {
  /** What is about to be lost, if not changes. */
  title?: string
  text?: string
  children: React.ReactNode
}

export function UnsavedGuard({ title, text, children }: UnsavedGuardProps) {
  const t = useT()
  const [dirty, setDirty] = useState<readonly string[]>([])
  const report = useCallback<Report>((form, isDirty) => {
    setDirty((forms) => {
      const others = forms.filter((other) => other !== form)
      return isDirty ? [...others, form] : others
    })
  }, [])
  const holds = dirty.length > 0

  useEffect(() => {
    if (!holds) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [holds])

  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      holds && nextLocation.pathname !== currentLocation.pathname && !isForced(nextLocation),
  )
  return (
    <UnsavedContext value={report}>
      {children}
      <ConfirmDialog
        open={blocker.state === 'blocked'}
        title={title ?? t('unsaved.title')}
        confirm={t('unsaved.leave')}
        danger
        onConfirm={() => blocker.proceed?.()}
        onCancel={() => blocker.reset?.()}
      >
        {text ?? t('unsaved.text')}
      </ConfirmDialog>
    </UnsavedContext>
  )
}

/** An expired session leads to sign-in without asking. Signing out is a choice, so it asks. */
function isForced({ pathname, search }: Location): boolean {
  return isSignInPage(pathname) && !('logout' in parseQuery(search))
}
