import {
  BugOutlined,
  DesktopOutlined,
  HeartOutlined,
  LinkOutlined,
  LogoutOutlined,
  QuestionCircleOutlined,
  UserOutlined,
} from '@ant-design/icons'
import { Avatar, Dropdown, type MenuProps } from 'antd'
import { useRef } from 'react'
import { useNavigate } from 'react-router'
import { showOverlay } from '../components/shortcuts/overlay'
import { useNoMail } from '../components/useMailT'
import { useT } from '../i18n/useT'
import { graphemes } from '../lib/names'
import { paths } from '../paths'
import { useUser } from '../session/useUser'
import styles from './PersonMenu.module.css'

export function PersonMenu() {
  const t = useT()
  const navigate = useNavigate()
  const user = useUser()
  const noMail = useNoMail()
  const button = useRef<HTMLButtonElement>(null)
  if (!user) return null

  const items: MenuProps['items'] = [
    {
      key: 'who',
      type: 'group',
      label: (
        <span className={styles.who}>
          <strong>{user.name}</strong>
          <span>{user.email}</span>
        </span>
      ),
    },
    { type: 'divider' },
    { key: 'profile', icon: <UserOutlined aria-hidden />, label: t('person.profile') },
    { key: 'keys', icon: <QuestionCircleOutlined aria-hidden />, label: t('keys.title') },
    // Only for operators.
    ...(user.operator
      ? [
          {
            key: 'health',
            icon: <HeartOutlined aria-hidden />,
            label: t('title.operatorHealth'),
          },
          {
            key: 'sessions',
            icon: <DesktopOutlined aria-hidden />,
            label: t('title.operatorSessions'),
          },
          // With a mail server, emails bring the links.
          ...(noMail
            ? [
                {
                  key: 'links',
                  icon: <LinkOutlined aria-hidden />,
                  label: t('title.operatorLinks'),
                },
              ]
            : []),
          { key: 'errors', icon: <BugOutlined aria-hidden />, label: t('title.errors') },
        ]
      : []),
    { key: 'signOut', icon: <LogoutOutlined aria-hidden />, label: t('person.signOut') },
  ]
  const places: Record<string, () => string> = {
    profile: paths.profile,
    health: paths.operatorHealth,
    sessions: paths.operatorSessions,
    links: paths.operatorLinks,
    errors: paths.errors,
  }
  const onClick: MenuProps['onClick'] = ({ key }) => {
    if (key === 'keys') {
      // What closes returns the focus to where it was, and by then the menu is gone.
      button.current?.focus()
      showOverlay('help')
    } else void navigate((places[key] ?? paths.logout)())
  }

  return (
    <Dropdown
      menu={{ items, onClick }}
      trigger={['click']}
      placement="bottomRight"
      // Rendered beside its button, so it belongs to the header landmark.
      getPopupContainer={(button) => button.parentElement ?? document.body}
    >
      <button
        ref={button}
        type="button"
        className={styles.person}
        aria-label={t('person.menu', { name: user.name })}
        data-atrium-ignore
      >
        <Avatar size={28} className={styles.avatar}>
          {initial(user.name)}
        </Avatar>
        <span className={styles.name} title={user.name}>
          {user.name}
        </span>
      </button>
    </Dropdown>
  )
}

/** The first character as people perceive it, even if it has several code units. */
function initial(name: string): string {
  return (graphemes(name.trim())[0] ?? '?').toUpperCase()
}
