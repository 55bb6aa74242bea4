import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { everythingOf } from '../../api/app'
import { changeAppMember, type AppMember } from '../../api/appMembers'
import type { Role } from '../../api/roles'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'

export interface Notice {
  text: string
  undo?: () => void
}

interface RoleChange {
  member: AppMember
  role: Pick<Role, 'id' | 'name'>
  /** Undoing a change can't itself be undone. */
  undoes?: boolean
}

/** Role changes made in the list itself, and messages about all changes. */
export function useMemberChanges() {
  const t = useT()
  const { app } = useApp()
  const client = useQueryClient()
  const [notice, setNotice] = useState<Notice | null>(null)

  const changing = useMutation({
    mutationFn: ({ member, role }: RoleChange) => changeAppMember(app.id, member.user_id, role.id),
    onMutate: () => setNotice(null),
    onSuccess: (_answer, { member, role, undoes }) => {
      const before = member.role
      setNotice({
        text: t('appMember.roleChanged', { name: member.name, role: role.name }),
        undo:
          undoes || !before
            ? undefined
            : () => changing.mutate({ member, role: before, undoes: true }),
      })
    },
    // After a refusal too: the list or the user's own permissions may have changed meanwhile.
    onSettled: () => client.invalidateQueries(everythingOf(app.id)),
  })

  return {
    changeRole: (member: AppMember, role: Role) => changing.mutate({ member, role }),
    /** The member whose role is being saved. */
    changing: changing.isPending ? changing.variables.member.user_id : null,
    failure: changing.error?.message,
    notice,
    /** Call after a dialog has made a change. */
    settle: (text: string | null) => {
      changing.reset()
      setNotice(text === null ? null : { text })
      void client.invalidateQueries(everythingOf(app.id))
    },
  }
}
