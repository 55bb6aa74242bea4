/**
 * How single sign-on is used: the role new people get, whether it is on, and whether it is the only
 * way in.
 */
import { Checkbox } from 'antd'
import { useId } from 'react'
import { useController, useWatch, type Control } from 'react-hook-form'
import type { SsoRole, SsoSettings } from '../../../api/sso'
import { ChoiceField } from '../../../components/form/ChoiceField'
import { useT } from '../../../i18n/useT'
import type { SsoValues } from './values'
import styles from './sso.module.css'

const ROLES: SsoRole[] = ['member', 'admin']

interface UseFieldsProps {
  control: Control<SsoValues>
  sso: SsoSettings
  members: number
  unlinked: number
  /** Called when it is turned off, along with everything that depends on it. */
  onOff: () => void
}

export function UseFields({ control, sso, members, unlinked, onOff }: UseFieldsProps) {
  const t = useT()
  const role = useController({ control, name: 'default_role' }).field
  const enabled = useWatch({ control, name: 'enabled' })
  const hasDomain = sso.domains.some(({ verified_at }) => verified_at != null)
  // Whatever is on can always be turned off.
  const lacksDomain = !hasDomain && !enabled
  return (
    <>
      <ChoiceField
        label={t('ssoSetting.role')}
        value={role.value}
        choices={ROLES.map((value) => ({ value, name: t(`org.role.${value}`) }))}
        onChoose={role.onChange}
        note={t('ssoSetting.roleNote')}
      />
      <CheckboxField
        control={control}
        name="enabled"
        label={t('ssoSetting.enable')}
        note={t(lacksDomain ? 'ssoSetting.enableFirst' : 'ssoSetting.enableNote')}
        disabled={lacksDomain}
        onChange={(on) => !on && onOff()}
      />
      <CheckboxField
        control={control}
        name="enforced"
        label={t('ssoSetting.enforce')}
        note={
          <>
            <span>{t('ssoSetting.enforceNote')}</span>
            <span>{t('ssoSetting.unlinked', { members, unlinked })}</span>
          </>
        }
        disabled={!enabled}
      />
    </>
  )
}

interface CheckboxFieldProps {
  control: Control<SsoValues>
  name: 'enabled' | 'enforced'
  label: string
  note: React.ReactNode
  disabled: boolean
  onChange?: (on: boolean) => void
}

function CheckboxField({ control, name, label, note, disabled, onChange }: CheckboxFieldProps) {
  const id = useId()
  const {
    field: { value, onChange: change },
    fieldState: { error },
  } = useController({ control, name })
  return (
    <div className={styles.ticked}>
      <Checkbox
        checked={value}
        disabled={disabled}
        aria-describedby={id}
        onChange={({ target }) => {
          change(target.checked)
          onChange?.(target.checked)
        }}
      >
        {label}
      </Checkbox>
      <p id={id} className={error ? styles.error : styles.note} aria-live="polite">
        {error?.message ?? note}
      </p>
    </div>
  )
}
