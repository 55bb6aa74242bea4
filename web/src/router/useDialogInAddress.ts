import { useEffect, useEffectEvent, useState } from 'react'
import { useAddressQuery } from './useAddressQuery'

/**
 * A dialog that a link can open (`?invite=…`), with the parameter's value. The parameter is removed
 * from the URL immediately, so that neither a reload nor Back opens the dialog again.
 */
export function useDialogInAddress(
  name: string,
): [opened: string | null, dialog: { open: () => void; close: () => void }] {
  const [query, setQuery] = useAddressQuery()
  const asked = query.get(name)
  const [opened, setOpened] = useState(asked)
  if (asked !== null && asked !== opened) setOpened(asked)

  const leaveAddress = useEffectEvent(() =>
    setQuery(
      (before) => {
        before.delete(name)
        return before
      },
      { replace: true, preventScrollReset: true },
    ),
  )
  useEffect(() => {
    if (asked !== null) leaveAddress()
  }, [asked])
  return [opened, { open: () => setOpened(''), close: () => setOpened(null) }]
}
