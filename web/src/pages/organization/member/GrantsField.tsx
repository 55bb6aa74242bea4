/** The apps an invitation gives access to, each with a role. */
import { useQuery } from '@tanstack/react-query'
import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Select } from 'antd'
import {
  useController,
  type Control,
  type FieldPathByValue,
  type FieldValues,
} from 'react-hook-form'
import { appsQuery } from '../../../api/apps'
import { rolesQuery } from '../../../api/roles'
import { SearchSelect, useTypeahead } from '../../../components/form/SearchSelect'
import { besideField } from '../../../components/form/TimezoneSelect'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useOrg } from '../../../session/org'
import { isHalfDone, type GrantDraft } from './grants'
import styles from './GrantsField.module.css'

interface GrantsFieldProps<Values extends FieldValues> {
  control: Control<Values>
  name: FieldPathByValue<Values, GrantDraft[]>
}

export function GrantsField<Values extends FieldValues>({
  control,
  name,
}: GrantsFieldProps<Values>) {
  const t = useT()
  const { field, fieldState } = useController({
    control,
    name,
    rules: {
      validate: (grants: GrantDraft[]) => !grants.some(isHalfDone) || t('invite.grantHalf'),
    },
  })
  const grants = field.value as GrantDraft[]
  const put = (index: number, grant: GrantDraft) =>
    field.onChange(grants.map((other, at) => (at === index ? grant : other)))
  return (
    <fieldset className={styles.grants}>
      <legend>{t('invite.grants')}</legend>
      <p className={styles.hint}>{t('invite.grantsHint')}</p>
      {grants.map((grant, index) => (
        <GrantRow
          // Rows have no ID, and are only added at the end.
          key={index}
          number={index + 1}
          grant={grant}
          taken={grants.flatMap((other) => (other === grant ? [] : (other.app_id ?? [])))}
          onChange={(changed) => put(index, changed)}
          onRemove={() => field.onChange(grants.filter((_, at) => at !== index))}
        />
      ))}
      <Button icon={<PlusOutlined aria-hidden />} onClick={() => field.onChange([...grants, {}])}>
        {t('invite.addGrant')}
      </Button>
      <p className={styles.error} aria-live="polite">
        {fieldState.error?.message}
      </p>
    </fieldset>
  )
}

interface GrantRowProps {
  number: number
  grant: GrantDraft
  /** Apps in the other rows. */
  taken: string[]
  onChange: (grant: GrantDraft) => void
  onRemove: () => void
}

const MOST_SHOWN = 50

function GrantRow({ number, grant, taken, onChange, onRemove }: GrantRowProps) {
  const t = useT()
  const org = useOrg()
  const language = useLanguageStore((state) => state.currentLang)
  const typeahead = useTypeahead()
  const apps = useQuery(
    appsQuery(org.id, {
      page: 1,
      page_size: MOST_SHOWN,
      status: 'active',
      search: typeahead.search,
      sort: 'name',
      order: 'asc',
    }),
  )
  const roles = useQuery({
    ...rolesQuery(grant.app_id ?? '', language),
    enabled: grant.app_id !== undefined,
  })
  return (
    <div className={styles.row}>
      <SearchSelect<string>
        typeahead={typeahead}
        found={apps}
        className={styles.select}
        aria-label={t('invite.app', { number })}
        placeholder={t('invite.chooseApp')}
        value={grant.app_id}
        notFoundContent={apps.error?.message ?? t('table.nothingFound')}
        options={(apps.data?.items ?? [])
          .filter(({ id }) => !taken.includes(id))
          .map(({ id, name }) => ({ value: id, label: name }))}
        // A custom role belongs to one app, so reset it.
        onChange={(app_id) => onChange({ app_id })}
      />
      <Select
        className={styles.select}
        aria-label={t('invite.appRole', { number })}
        placeholder={t('invite.chooseRole')}
        value={grant.role_id}
        disabled={grant.app_id === undefined}
        loading={roles.isFetching}
        getPopupContainer={besideField}
        notFoundContent={roles.error?.message ?? t('table.nothingFound')}
        options={roles.data?.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(role_id: string) => onChange({ ...grant, role_id })}
      />
      <Button
        type="text"
        icon={<DeleteOutlined aria-hidden />}
        aria-label={t('invite.removeGrant', { number })}
        onClick={onRemove}
      />
    </div>
  )
}
