import { useParams } from 'react-router'
import { useT } from '../i18n/useT'
import { paths } from '../paths'
import { SideNav } from './SideNav'

export default function AppSettingsLayout() {
  const t = useT()
  const { appId = '' } = useParams()
  return (
    <SideNav
      title={t('nav.appSettings')}
      links={[
        { label: t('title.appDetail'), to: paths.appDetail(appId) },
        { label: t('title.appSecretKey'), to: paths.appSecretKeys(appId) },
        { label: t('title.appAuthority'), to: paths.appAuthority(appId) },
        { label: t('title.appMember'), to: paths.appMembers(appId) },
      ]}
    />
  )
}
