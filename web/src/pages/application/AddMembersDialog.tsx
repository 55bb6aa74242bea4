/** Adds team members to the app. The selection persists while searching. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Button, Checkbox } from 'antd'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { addAppMembers, candidatesQuery, type Candidate } from '../../api/appMembers'
import type { Role } from '../../api/roles'
import { FormDialog } from '../../components/FormDialog'
import { Field } from '../../components/form/Field'
import { useSubmit } from '../../components/form/useSubmit'
import { LinkButton } from '../../components/LinkButton'
import { Loaded } from '../../components/Loaded'
import { SearchBox } from '../../components/table/SearchBox'
import { useT } from '../../i18n/useT'
import { useApp, useWatched } from '../../session/app'
import { paths } from '../../paths'
import { RoleSelect } from './RoleSelect'
import styles from './members.module.css'

/** The limit of one call. */
const MOST = 100

interface AddMembersDialogProps {
  roles: Role[]
  onDone: (said: string) => void
  onCancel: () => void
}

export function AddMembersDialog({ roles, onDone, onCancel }: AddMembersDialogProps) {
  const t = useT()
  const { app } = useApp()
  const watched = useWatched()
  const [chosen, setChosen] = useState<Candidate[]>([])
  const form = useForm({ defaultValues: { role_id: '' } })
  const submitting = useSubmit(form, {
    send: ({ role_id }) =>
      watched(addAppMembers(app.id, { user_ids: chosen.map(({ user_id }) => user_id), role_id })),
    done: ({ added, skipped }) =>
      onDone(
        skipped > 0
          ? t('appMember.addedSkipped', { count: added, skipped })
          : t('appMember.addedCount', { count: added }),
      ),
  })
  return (
    <FormDialog
      title={t('appMember.add')}
      width={520}
      submitting={submitting}
      submit={
        chosen.length > 0 ? t('appMember.addCount', { count: chosen.length }) : t('appMember.add')
      }
      disabled={chosen.length === 0}
      onCancel={onCancel}
    >
      <Candidates chosen={chosen} onChoose={setChosen} />
      <Field
        control={form.control}
        name="role_id"
        label={t('appMember.role')}
        rules={{ required: t('appMember.roleRequired') }}
      >
        {({ name: _, value, ...input }) => (
          <RoleSelect
            {...input}
            value={value || undefined}
            placeholder={t('role.choose')}
            roles={roles}
          />
        )}
      </Field>
    </FormDialog>
  )
}

interface CandidatesProps {
  chosen: Candidate[]
  onChoose: (chosen: Candidate[]) => void
}

function Candidates({ chosen, onChoose }: CandidatesProps) {
  const t = useT()
  const { app } = useApp()
  const [search, setSearch] = useState('')
  const candidates = useInfiniteQuery(candidatesQuery(app.id, search))
  const found = candidates.data?.pages.flatMap(({ items }) => items)

  function choose(candidate: Candidate, on: boolean) {
    const others = chosen.filter(({ user_id }) => user_id !== candidate.user_id)
    onChoose(on ? [...others, candidate] : others)
  }

  if (found?.length === 0 && search === '') {
    return (
      <div className={styles.nobody}>
        <p>{t('appMember.nobodyLeft')}</p>
        <LinkButton to={paths.teamMembers({ org: app.org_id })}>{t('appMember.invite')}</LinkButton>
      </div>
    )
  }
  return (
    <>
      <SearchBox
        label={t('appMember.searchTeam')}
        value={search}
        onSearch={(text) => setSearch(text ?? '')}
      />
      <div className={styles.candidates} role="group" aria-label={t('appMember.candidates')}>
        <Loaded
          query={{ ...candidates, data: found }}
          skeleton={4}
          empty={<p role="status">{t('table.nothingFound')}</p>}
        >
          {(people) =>
            people.map((candidate) => {
              const on = chosen.some(({ user_id }) => user_id === candidate.user_id)
              return (
                <Checkbox
                  key={candidate.user_id}
                  className={styles.candidate}
                  checked={on}
                  disabled={!on && chosen.length >= MOST}
                  onChange={({ target }) => choose(candidate, target.checked)}
                >
                  <bdi>{candidate.name}</bdi> <span className={styles.soft}>{candidate.email}</span>
                </Checkbox>
              )
            })
          }
        </Loaded>
        {candidates.hasNextPage && (
          <Button
            size="small"
            loading={candidates.isFetchingNextPage}
            onClick={() => void candidates.fetchNextPage()}
          >
            {t('appMember.more')}
          </Button>
        )}
      </div>
      <p className={styles.chosen} role="status">
        {t('appMember.chosen', { count: chosen.length })}
      </p>
    </>
  )
}
