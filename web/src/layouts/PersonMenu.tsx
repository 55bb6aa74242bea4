import { LogoutOutlined, UserOutlined } from '@ant-design/icons'
import { Avatar, Dropdown, type MenuProps } from 'antd'
import { useNavigate } from 'react-router'
import { useT } from '../i18n/useT'
import { paths } from '../paths'
import { useUser } from '../session/useUser'
import styles from './PersonMenu.module.css'

export function PersonMenu() {
  const t = useT()
  const navigate = useNavigate()
  const user = useUser()
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
    { key: 'signOut', icon: <LogoutOutlined aria-hidden />, label: t('person.signOut') },
  ]
  const onClick: MenuProps['onClick'] = ({ key }) =>
    void navigate(key === 'profile' ? paths.profile() : paths.logout())

  return (
    <Dropdown
      menu={{ items, onClick }}
      trigger={['click']}
      placement="bottomRight"
      // Beside its button, so that it belongs to the header for whoever moves by landmarks.
      getPopupContainer={(button) => button.parentElement ?? document.body}
    >
      <button
        type="button"
        className={styles.person}
        aria-label={t('person.menu', { name: user.name })}
        data-atrium-ignore
      >
        <Avatar size={28} className={styles.avatar}>
          {initial(user.name)}
        </Avatar>
        <span className={styles.name}>{user.name}</span>
      </button>
    </Dropdown>
  )
}

/** The first character as a person reads it, also where it is more than one code unit. */
function initial(name: string): string {
  return ([...name.trim()][0] ?? '?').toUpperCase()
}
