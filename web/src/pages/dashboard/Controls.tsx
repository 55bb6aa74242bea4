import { Select } from 'antd'
import { besideField } from '../../components/form/TimezoneSelect'
import { ComparePicker } from '../../components/range/ComparePicker'
import { GranularityPicker } from '../../components/range/GranularityPicker'
import { RangePicker } from '../../components/range/RangePicker'
import { useT } from '../../i18n/useT'
import { byName } from '../../lib/names'
import { useOrg } from '../../session/org'
import { useUser } from '../../session/useUser'
import { useBoard } from '../../components/figures/board'
import styles from './Controls.module.css'

export function Controls() {
  const { params } = useBoard()
  return (
    <div className={styles.controls}>
      <RangePicker params={params} />
      <ZoneChoice />
      <GranularityPicker params={params} />
      <ComparePicker params={params} />
      <AppFilter />
    </div>
  )
}

/** Days follow the team's time zone unless the user picks their own. */
function ZoneChoice() {
  const t = useT()
  const org = useOrg()
  const mine = useUser()?.timezone
  const { question, set } = useBoard()
  const zones = [...new Set([org.timezone, mine, question.timezone])].filter((zone) => zone != null)
  if (zones.length === 1) {
    return <span className={styles.zone}>{t('dashboard.inZone', { zone: org.timezone })}</span>
  }
  return (
    <Select<string>
      aria-label={t('dashboard.zone')}
      variant="filled"
      value={question.timezone}
      popupMatchSelectWidth={false}
      getPopupContainer={besideField}
      options={zones.map((zone) => ({
        value: zone,
        label:
          zone === org.timezone
            ? t('dashboard.zoneOfTeam', { zone })
            : zone === mine
              ? t('dashboard.zoneOfMine', { zone })
              : zone,
      }))}
      onChange={(zone) => set('zone', zone === org.timezone ? null : zone)}
    />
  )
}

function AppFilter() {
  const t = useT()
  const { apps, chosen, set } = useBoard()
  const seen = apps?.filter(({ permissions }) => permissions.includes('dashboard:view'))
  return (
    <Select<string[]>
      className={styles.apps}
      mode="multiple"
      aria-label={t('dashboard.apps')}
      placeholder={t('dashboard.allApps')}
      allowClear
      maxTagCount={2}
      loading={!apps}
      // Until the names have loaded, show nothing instead of an ID.
      value={apps ? chosen : []}
      optionFilterProp="label"
      getPopupContainer={besideField}
      options={seen?.toSorted(byName).map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(ids) => set('apps', ids.join(',') || null)}
    />
  )
}
