/** The app on screen, and the way to another of its team: the same page of it. */
import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import type { App } from '../api/app'
import { appsQuery } from '../api/apps'
import { besideField } from '../components/form/TimezoneSelect'
import { useDebounced } from '../components/table/useDebounced'
import { useT } from '../i18n/useT'
import { openAppEntry } from '../session/appEntry'
import styles from './Workspace.module.css'

const MOST_SHOWN = 20

interface WorkspaceSwitcherProps {
  app: App
  /** Below the entry. */
  page: string
}

export function WorkspaceSwitcher({ app, page }: WorkspaceSwitcherProps) {
  const t = useT()
  const [opened, setOpened] = useState(false)
  const [typed, setTyped] = useState('')
  const search = useDebounced(typed.trim()) || undefined
  const apps = useQuery({
    ...appsQuery(app.org_id, {
      status: 'active',
      page: 1,
      page_size: MOST_SHOWN,
      search,
      sort: 'name',
      order: 'asc',
    }),
    enabled: opened,
  })
  const found = apps.data?.items ?? []
  // The one on screen is shown by its name whether or not the list holds it.
  const choices = search || found.some(({ id }) => id === app.id) ? found : [app, ...found]
  return (
    <Select<string>
      className={styles.switcher}
      variant="borderless"
      aria-label={t('workspace.switch', { name: app.name })}
      value={app.id}
      labelRender={() => <span className={styles.name}>{app.name}</span>}
      popupMatchSelectWidth={false}
      classNames={{ popup: { root: styles.choices } }}
      getPopupContainer={besideField}
      // The server has searched.
      showSearch={{ filterOption: false, onSearch: setTyped }}
      notFoundContent={
        apps.error ? apps.error.message : apps.data ? t('table.nothingFound') : t('common.loading')
      }
      options={choices.map(({ id, name }) => ({ value: id, label: name }))}
      onOpenChange={(open) => {
        if (open) setOpened(true)
        else setTyped('')
      }}
      onChange={(id) => {
        const chosen = choices.find((choice) => choice.id === id)
        if (!chosen) return
        const { org_id, endpoint, is_local } = chosen
        openAppEntry({ org_id, app_id: id, endpoint, is_local }, { extra: page })
      }}
    />
  )
}
