import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { keysOf, updateAccessKey, type AccessKey } from '../../../api/keys'
import { useT } from '../../../i18n/useT'
import { useApp, useWatched } from '../../../session/app'
import type { Notice } from '../useMemberChanges'

/** Changes made in the list itself, and messages about all changes. */
export function useKeyChanges() {
  const t = useT()
  const { app } = useApp()
  const client = useQueryClient()
  const watched = useWatched()
  const [notice, setNotice] = useState<Notice | null>(null)

  const enabling = useMutation({
    mutationFn: (key: AccessKey) => watched(updateAccessKey(app.id, key.id, { enabled: true })),
    onMutate: () => setNotice(null),
    onSuccess: ({ name }) => setNotice({ text: t('accessKey.enabled', { name }) }),
    onSettled: () => client.invalidateQueries(keysOf(app.id)),
  })

  function settle(said: Notice | string | null) {
    enabling.reset()
    setNotice(typeof said === 'string' ? { text: said } : said)
    void client.invalidateQueries(keysOf(app.id))
  }

  return {
    enable: enabling.mutate,
    failure: enabling.error?.message,
    notice,
    /** Call after a dialog has made a change. */
    settle,
    ended: (action: 'disable' | 'delete', key: AccessKey) =>
      settle({
        text: t(`accessKey.${action}d`, { name: key.name }),
        undo: action === 'disable' ? () => enabling.mutate(key) : undefined,
      }),
  }
}
