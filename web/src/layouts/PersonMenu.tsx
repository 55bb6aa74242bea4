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
    // Only those who run the instance have it.
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
          // Where mails are sent, they bring the links.
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
      // What closes gives the focus back to where it was, and the menu is gone by then.
      button.current?.focus()
      showOverlay('help')
    } else void navigate((places[key] ?? paths.logout)())
  }

  return (
    <Dropdown
      menu={{ items, onClick }}
      trigger={['click']}
      placement="bottomRight"
      // Beside its button, so that it belongs to the header for whoever moves by landmarks.
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

/** The first character as a person reads it, also where it is more than one code unit. */
function initial(name: string): string {
  return (graphemes(name.trim())[0] ?? '?').toUpperCase()
}
