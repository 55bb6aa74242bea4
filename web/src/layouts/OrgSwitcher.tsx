/** The team on screen, in the top bar, and the way to another one. */
import { CheckOutlined, DownOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Dropdown, type MenuProps } from 'antd'
import { useLocation, useNavigate } from 'react-router'
import { orgChoicesQuery } from '../api/orgs'
import { useT } from '../i18n/useT'
import { formatQuery, parseQuery, queryText } from '../lib/query'
import { paths } from '../paths'
import { preferredOrg, rememberOrg, useShownOrg } from '../session/org'
import styles from './OrgSwitcher.module.css'

const ALL = 'all'

export function OrgSwitcher() {
  const t = useT()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const { data: orgs } = useQuery(orgChoicesQuery)
  const shown = useShownOrg()
  if (!orgs || orgs.length === 0) return null

  const current = shown ? orgs.find(({ id }) => id === shown) : preferredOrg(orgs)

  const items: MenuProps['items'] = [
    ...orgs.map((org) => ({
      key: org.id,
      label: org.name,
      icon: <CheckOutlined aria-hidden className={org === current ? undefined : styles.other} />,
      'aria-current': org === current || undefined,
    })),
    { type: 'divider' as const },
    { key: ALL, label: t('org.all') },
  ]
  const onClick: MenuProps['onClick'] = ({ key }) => {
    if (key === ALL) return void navigate(paths.organizations())
    // At once: whoever opens another page before this one is there means the team they chose.
    rememberOrg(key)
    void navigate(placeFor(key, pathname, queryText(parseQuery(search), 'org') !== null))
  }

  return (
    <Dropdown
      menu={{ items, onClick, className: styles.menu }}
      trigger={['click']}
      autoFocus
      // Beside its button, so that it belongs to the header for whoever moves by landmarks.
      getPopupContainer={(button) => button.parentElement ?? document.body}
    >
      <button
        type="button"
        className={styles.switcher}
        aria-label={t('org.switch', { name: current?.name ?? t('org.choose') })}
        data-atrium-ignore
      >
        <span className={styles.name} title={current?.name}>
          {current?.name ?? t('org.choose')}
        </span>
        <DownOutlined aria-hidden className={styles.arrow} />
      </button>
    </Dropdown>
  )
}

/** The same page of the other team, where this page is a team's; else that team's apps. */
function placeFor(org: string, pathname: string, ofATeam: boolean): string {
  // Page, search and filters are about the rows of the team that is left.
  return ofATeam ? pathname + formatQuery({ org }) : paths.teamApps({ org })
}
