import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useId, useState } from 'react'
import { membersQuery, type OrgMember } from '../../../api/orgs'
import { FormError } from '../../../components/form/FormError'
import { besideField } from '../../../components/form/TimezoneSelect'
import { useDebounced } from '../../../components/table/useDebounced'
import { useT } from '../../../i18n/useT'

const MOST_SHOWN = 20

interface MemberPickerProps {
  orgId: string
  chosen: OrgMember | null
  onChoose: (member: OrgMember) => void
}

/** One member of a team, found by name or address. The person themselves is not among them. */
export function MemberPicker({ orgId, chosen, onChoose }: MemberPickerProps) {
  const t = useT()
  const id = useId()
  const [typed, setTyped] = useState('')
  const search = useDebounced(typed.trim()) || undefined
  const members = useQuery(
    membersQuery(orgId, { page: 1, page_size: MOST_SHOWN, search, sort: 'name', order: 'asc' }),
  )
  const others = members.data?.items.filter((member) => !member.is_me) ?? []
  return (
    <div>
      <FormError>{members.error?.message}</FormError>
      <label htmlFor={id}>{t('orgs.newOwner')}</label>
      <Select
        id={id}
        style={{ width: '100%', marginTop: 6 }}
        value={chosen?.user_id}
        placeholder={t('orgs.pickMember')}
        loading={members.isFetching}
        getPopupContainer={besideField}
        // The server has searched.
        showSearch={{ filterOption: false, onSearch: setTyped }}
        notFoundContent={members.data ? t('table.nothingFound') : t('common.loading')}
        options={others.map((member) => ({
          value: member.user_id,
          label: `${member.name} (${member.email})`,
        }))}
        onChange={(userId) => {
          const member = others.find((other) => other.user_id === userId)
          if (member) onChoose(member)
        }}
      />
    </div>
  )
}
