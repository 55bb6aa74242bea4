import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { membersQuery, type OrgMember } from '../../../api/orgs'
import { FormError } from '../../../components/form/FormError'
import { SearchSelect, useTypeahead } from '../../../components/form/SearchSelect'
import { useT } from '../../../i18n/useT'

const MOST_SHOWN = 20

interface MemberPickerProps {
  orgId: string
  chosen: OrgMember | null
  onChoose: (member: OrgMember) => void
}

/** Picks a team member by name or address. Excludes the user. */
export function MemberPicker({ orgId, chosen, onChoose }: MemberPickerProps) {
  const t = useT()
  const id = useId()
  const typeahead = useTypeahead()
  const { search } = typeahead
  const members = useQuery(
    membersQuery(orgId, { page: 1, page_size: MOST_SHOWN, search, sort: 'name', order: 'asc' }),
  )
  const others = members.data?.items.filter((member) => !member.is_me) ?? []
  return (
    <div>
      <FormError>{members.error?.message}</FormError>
      <label htmlFor={id}>{t('orgs.newOwner')}</label>
      <SearchSelect<string>
        typeahead={typeahead}
        found={members}
        id={id}
        style={{ width: '100%', marginTop: 6 }}
        value={chosen?.user_id}
        placeholder={t('orgs.pickMember')}
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
