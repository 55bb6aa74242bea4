/** A role's permissions by group. Anything locked says why. */
import { Checkbox } from 'antd'
import { useId, useState } from 'react'
import type { Permission, PermissionGroup } from '../../api/roles'
import { TextInput } from '../../components/form/TextInput'
import { useDebounced } from '../../components/table/useDebounced'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'
import { groupToggled, switchable, toggled } from './draft'
import { lockOf, type PermissionCode } from '../../session/access'
import { searchGroups } from './matrix'
import styles from './editor.module.css'

interface PickerProps {
  groups: PermissionGroup[]
  value: readonly PermissionCode[]
  error?: string
  onChange: (permissions: PermissionCode[]) => void
}

export function PermissionPicker({ groups, value, error, onChange }: PickerProps) {
  const t = useT()
  const [search, setSearch] = useState('')
  const found = searchGroups(groups, useDebounced(search))
  return (
    <section className={styles.picker} aria-labelledby="picker-title">
      <div className={styles.head}>
        <h2 id="picker-title" className={styles.title}>
          {t('role.permissions')}
        </h2>
        <p className={styles.count} role="status">
          {t('role.chosenCount', { count: value.length })}
        </p>
        <TextInput
          className={styles.search}
          type="search"
          value={search}
          aria-label={t('role.search')}
          placeholder={t('role.search')}
          onChange={({ target }) => setSearch(target.value)}
          // Enter would submit the surrounding form.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      </div>
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      {found.length === 0 && <p role="status">{t('role.nothingFound')}</p>}
      <div className={styles.groups}>
        {found.map((group) => (
          <Group key={group.key} group={group} value={value} onChange={onChange} />
        ))}
      </div>
    </section>
  )
}

interface GroupProps extends Omit<PickerProps, 'groups' | 'error'> {
  /** The part of the group that matches the search: "all" means all that is visible. */
  group: PermissionGroup
}

function Group({ group, value, onChange }: GroupProps) {
  const t = useT()
  const { held } = useApp()
  const open = switchable(group, held)
  const chosen = open.filter((code) => value.includes(code)).length
  return (
    <fieldset className={styles.group}>
      <legend className="visually-hidden">{group.name}</legend>
      <div className={styles.groupHead}>
        <span aria-hidden="true">{group.name}</span>
        {open.length > 0 && (
          <Checkbox
            checked={chosen === open.length}
            indeterminate={chosen > 0 && chosen < open.length}
            aria-label={t('role.chooseAllOf', { group: group.name })}
            onChange={({ target }) =>
              onChange(groupToggled(value, group, { on: target.checked, held }))
            }
          >
            {t('role.chooseAll')}
          </Checkbox>
        )}
      </div>
      {group.permissions.map((permission) => (
        <Choice
          key={permission.code}
          permission={permission}
          chosen={value.includes(permission.code)}
          onChange={(on) => onChange(toggled(value, permission.code, on))}
        />
      ))}
    </fieldset>
  )
}

interface ChoiceProps {
  permission: Permission
  chosen: boolean
  onChange: (on: boolean) => void
}

function Choice({ permission, chosen, onChange }: ChoiceProps) {
  const t = useT()
  const id = useId()
  const lock = lockOf(permission.code, useApp().held)
  return (
    <div className={styles.choice}>
      <Checkbox
        checked={chosen}
        disabled={lock !== null}
        aria-describedby={id}
        onChange={({ target }) => onChange(target.checked)}
      >
        {permission.name} <code className={styles.code}>{permission.code}</code>
      </Checkbox>
      <p id={id} className={styles.about}>
        {permission.description}
        {lock && <span className={styles.lock}>{t(`role.lock.${lock}`)}</span>}
      </p>
    </div>
  )
}
