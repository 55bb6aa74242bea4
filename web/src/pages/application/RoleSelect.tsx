/** Picks one of an app's roles. Roles with more permissions than the user's own are disabled. */
import { Select, type SelectProps } from 'antd'
import type { Role } from '../../api/roles'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'
import { isWithin } from '../../session/access'

interface RoleOption {
  value: string
  label: string
  disabled?: boolean
}

interface RoleSelectProps extends Omit<SelectProps<string, RoleOption>, 'options'> {
  roles: Role[]
}

export function RoleSelect({ roles, ...props }: RoleSelectProps) {
  const t = useT()
  const { held } = useApp()
  const options = roles.map((role) => {
    const disabled = !isWithin(held, role)
    const label = disabled ? t('role.beyondOption', { name: role.name }) : role.name
    return { value: role.id, label, disabled }
  })
  return <Select<string, RoleOption> {...props} options={options} getPopupContainer={inLandmark} />
}

/** Inside a landmark or dialog, but outside a table, which would cut the list off. */
function inLandmark(select: HTMLElement): HTMLElement {
  const place = select.closest('[role=dialog]')
    ? select.parentElement
    : document.querySelector<HTMLElement>('main')
  return place ?? document.body
}
