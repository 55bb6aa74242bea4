import { Select, type SelectProps } from 'antd'
import { useMemo, useState } from 'react'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { allZones, zoneOf, type Zone } from './zones'

/** Renders the list here, because at the end of the document it would be outside every landmark. */
export function besideField(select: HTMLElement): HTMLElement {
  return select.parentElement ?? document.body
}

export function TimezoneSelect({ value, ...props }: SelectProps<string, Zone>) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const [opened, setOpened] = useState(false)
  const options = useMemo(() => {
    const list = opened ? allZones(language) : []
    // A saved time zone that this browser doesn't list must not be lost on the next save.
    return !value || list.some((zone) => zone.value === value)
      ? list
      : [zoneOf(value, language), ...list]
  }, [opened, language, value])

  return (
    <Select<string, Zone>
      {...props}
      value={value}
      options={options}
      getPopupContainer={besideField}
      showSearch={{
        filterOption: (typed, zone) => zone?.search.includes(typed.trim().toLowerCase()) ?? false,
      }}
      notFoundContent={t('account.timezoneNone')}
      onOpenChange={(open) => open && setOpened(true)}
    />
  )
}
