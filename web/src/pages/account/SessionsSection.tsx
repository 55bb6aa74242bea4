import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Pagination } from 'antd'
import { useEffect, useState } from 'react'
import {
  allSessions,
  endOtherSessions,
  endSession,
  SESSIONS_PER_PAGE,
  sessionsQuery,
  type Session,
} from '../../api/profile'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { FormError } from '../../components/form/FormError'
import { Loaded } from '../../components/Loaded'
import { useT } from '../../i18n/useT'
import { useAddressQuery } from '../../router/useAddressQuery'
import { deviceName } from './deviceName'
import { Section } from './Section'
import { SessionTable } from './SessionTable'
import styles from './SessionsSection.module.css'

/** One session, or all others. */
type Target = Session | 'others'

export function SessionsSection() {
  const t = useT()
  const [page, choosePage] = usePageInAddress()
  const sessions = useQuery(sessionsQuery(page))
  const [target, setTarget] = useState<Target>('others')
  // Separate from the target, so the dialog keeps its text while fading out.
  const [asking, setAsking] = useState(false)
  const ending = useEnding(() => setAsking(false))
  const ask = (about: Target) => {
    setTarget(about)
    setAsking(true)
  }

  // The last session on a page can end, and a URL can name a page that doesn't exist.
  const beyond = page > 1 && sessions.data?.items.length === 0
  useEffect(() => {
    if (beyond) choosePage(1)
  })

  const others = (sessions.data?.total ?? 0) > 1

  return (
    <Section
      name="sessions"
      action={
        others && (
          <Button danger onClick={() => ask('others')}>
            {t('sessions.endOthers')}
          </Button>
        )
      }
    >
      <FormError>{ending.error?.message}</FormError>
      <p role="status" className={styles.status}>
        {ending.isSuccess
          ? t(ending.variables === 'others' ? 'sessions.othersEnded' : 'sessions.ended')
          : ''}
      </p>
      {/* The height of the one session that is certain: this one. */}
      <Loaded query={sessions} skeleton={3}>
        {({ items }) => <SessionTable sessions={items} onEnd={ask} />}
      </Loaded>
      {(sessions.data?.total ?? 0) > SESSIONS_PER_PAGE && (
        <Pagination
          className={styles.pages}
          current={page}
          pageSize={SESSIONS_PER_PAGE}
          total={sessions.data?.total}
          showSizeChanger={false}
          onChange={choosePage}
        />
      )}
      <EndDialog
        target={target}
        open={asking}
        busy={ending.isPending}
        onConfirm={() => ending.mutate(target)}
        onCancel={() => setAsking(false)}
      />
    </Section>
  )
}

function useEnding(onSettled: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (target: Target) =>
      target === 'others' ? endOtherSessions() : endSession(target.id),
    // After a failure too: the session may have ended by itself, and then the list should say so.
    onSettled: () => {
      onSettled()
      return client.invalidateQueries(allSessions)
    },
  })
}

interface EndDialogProps {
  target: Target
  open: boolean
  busy: boolean
  onConfirm: () => void
  onCancel: () => void
}

function EndDialog({ target, ...dialog }: EndDialogProps) {
  const t = useT()
  const others = target === 'others'
  return (
    <ConfirmDialog
      {...dialog}
      danger
      title={t(others ? 'sessions.endOthersTitle' : 'sessions.endTitle')}
      confirm={t(others ? 'sessions.endOthers' : 'sessions.end')}
    >
      {others
        ? t('sessions.endOthersText')
        : t('sessions.endText', { device: deviceName(t, target) })}
    </ConfirmDialog>
  )
}

/** The list's page is in the URL, as in every list; the first one is left out. */
function usePageInAddress(): [number, (page: number) => void] {
  const [query, setQuery] = useAddressQuery()
  const page = Math.max(1, Number.parseInt(query.get('page') ?? '1', 10) || 1)
  return [
    page,
    (chosen) =>
      setQuery(chosen === 1 ? {} : { page: String(chosen) }, {
        replace: true,
        preventScrollReset: true,
      }),
  ]
}
