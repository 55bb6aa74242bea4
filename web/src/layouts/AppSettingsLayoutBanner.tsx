/** Shown above the pages of a read-only app: since when, until when, and how to undo it. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { everythingOf, restoreApp, unarchiveApp, type App } from '../api/app'
import { FormError } from '../components/form/FormError'
import { Moment } from '../components/Moment'
import { useT } from '../i18n/useT'
import { useApp, useAppChanged } from '../session/app'
import styles from './AppSettingsLayout.module.css'

export function AppBanner() {
  const { app } = useApp()
  if (app.status === 'archived') return <Archived app={app} />
  if (app.status === 'deleted') return <Deleted app={app} />
  return null
}

function Archived({ app }: { app: App }) {
  const t = useT()
  const { may } = useApp()
  return (
    <Banner
      app={app}
      title={t('appSettings.archived')}
      back={may('app:archive') && { label: t('apps.unarchive.confirm'), send: unarchiveApp }}
    >
      {app.archived_at && <Moment after={t('appSettings.archivedAt')} at={app.archived_at} />}
    </Banner>
  )
}

function Deleted({ app }: { app: App }) {
  const t = useT()
  const { may } = useApp()
  const back = may('app:delete') &&
    !app.purge_started && { label: t('apps.restore.confirm'), send: restoreApp }
  return (
    <Banner app={app} title={t('appSettings.deleted')} back={back}>
      {app.purge_started
        ? t('appSettings.purging')
        : app.purge_at && <Moment after={t('appSettings.purgeAt')} at={app.purge_at} />}
    </Banner>
  )
}

interface BannerProps {
  app: App
  title: string
  back: false | { label: string; send: (id: string) => Promise<App> }
  children: React.ReactNode
}

function Banner({ app, title, back, children }: BannerProps) {
  const client = useQueryClient()
  const returning = useMutation({
    mutationFn: (send: (id: string) => Promise<App>) => send(app.id),
    onSuccess: useAppChanged(),
    // Someone else may have been first.
    onError: () => client.invalidateQueries(everythingOf(app.id)),
  })
  return (
    <section className={styles.banner} data-status={app.status} aria-label={title}>
      <p className={styles.bannerTitle}>{title}</p>
      <p className={styles.bannerText}>{children}</p>
      {back && (
        <Button loading={returning.isPending} onClick={() => returning.mutate(back.send)}>
          {back.label}
        </Button>
      )}
      <FormError>{returning.error?.message}</FormError>
    </section>
  )
}
