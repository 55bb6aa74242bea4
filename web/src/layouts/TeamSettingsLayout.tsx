import { useLocation } from 'react-router'
import { useT } from '../i18n/useT'
import { parseQuery, queryText } from '../lib/query'
import { paths } from '../paths'
import { SideNav } from './SideNav'

export default function TeamSettingsLayout() {
  const t = useT()
  const org = queryText(parseQuery(useLocation().search), 'org')
  return (
    <SideNav
      title={t('nav.teamSettings')}
      links={[
        { label: t('title.teamMembers'), to: paths.teamMembers({ org }) },
        { label: t('title.teamApps'), to: paths.teamApps({ org }) },
        { label: t('title.archivedApps'), to: paths.archivedApps({ org }) },
        { label: t('title.deletedApps'), to: paths.deletedApps({ org }) },
      ]}
    />
  )
}
