import { useT } from '../i18n/useT'

/** Says once that something is on its way; the shapes that keep its place are for the eye alone. */
export function Waiting({ children }: { children: React.ReactNode }) {
  const t = useT()
  return (
    <div role="status" aria-busy="true">
      <span className="visually-hidden">{t('common.loading')}</span>
      <div aria-hidden="true">{children}</div>
    </div>
  )
}
