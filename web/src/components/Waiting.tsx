import { useT } from '../i18n/useT'

/** Announces once that something is loading; the placeholders are visual only. */
export function Waiting({ children }: { children: React.ReactNode }) {
  const t = useT()
  return (
    <div role="status" aria-busy="true">
      <span className="visually-hidden">{t('common.loading')}</span>
      <div aria-hidden="true">{children}</div>
    </div>
  )
}
