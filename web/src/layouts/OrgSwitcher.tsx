/** The current team in the top bar, with a menu to switch. */
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
    // Immediately: someone who opens another page before this one loads means the chosen team.
    rememberOrg(key)
    void navigate(placeFor(key, pathname, queryText(parseQuery(search), 'org') !== null))
  }

  return (
    <Dropdown
      menu={{ items, onClick, className: styles.menu }}
      trigger={['click']}
      autoFocus
      // Rendered beside its button, so it belongs to the header landmark.
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

/** The other team's version of this page if it is a team page; otherwise that team's apps. */
function placeFor(org: string, pathname: string, ofATeam: boolean): string {
  // Page, search, and filters only apply to the previous team's rows.
  return ofATeam ? pathname + formatQuery({ org }) : paths.teamApps({ org })
}
