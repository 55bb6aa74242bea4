/** How many people did something how often, on how many days, or with which number. */
import { useImperativeHandle, useMemo } from 'react'
import type { DistributionAnswer, DistributionQuestion } from '../../../api/analysisTypes'
import { compactCount, plainCount } from '../../charts/format'
import { ShareBar } from '../../charts/ShareBar'
import { Counted } from '../../table/Counted'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { binName } from './bins'
import { Figure } from './Figure'
import { Plot } from './Plot'
import { plotPicture, type PlotData } from './plotOption'
import type { ResultProps } from './result'
import { Nothing } from './View'
import { Scroll } from './Scroll'
import styles from './results.module.css'

/** A range of numbers, kept short. */
const spanOf = ({ from, to }: { from: number; to: number | null }, language: string) =>
  [from, to ?? from].map((edge) => compactCount(edge, language)).join(' – ')

export function DistributionResult(props: ResultProps<DistributionQuestion, DistributionAnswer>) {
  const { question, answer, onPick, ref } = props
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { of } = question
  const { bins } = answer
  const plot = useMemo((): PlotData => {
    const labels = bins.map((bin) => binName(bin, of, language))
    const series = [
      { key: 'people', name: t('results.people'), values: bins.map(({ people }) => people) },
    ]
    return {
      shape: 'bars',
      ticks: bins.map((bin, index) =>
        typeof of === 'object' && bin.to !== null ? spanOf(bin, language) : labels[index]!,
      ),
      labels,
      series,
      unit: t('results.people'),
      format: (value) => plainCount(value, language),
      axis: (value) => compactCount(value, language),
    }
  }, [bins, of, language, t])
  useImperativeHandle(
    ref,
    () => ({ toPng: (title = '', note) => plotPicture(plot, title, note) }),
    [plot],
  )
  // Counting times or days, each person is in one bin; with a property, the same person can be in
  // several.
  const isWhole = typeof of !== 'object'
  const all = bins.reduce((sum, { people }) => sum + people, 0)
  if (all === 0) return <Nothing />

  const opener = (bin: number) => onPick && (() => onPick({ of: 'distribution', bin }))
  const heading = typeof of === 'object' ? of.property : t(`results.distribution.${of}`)
  return (
    <div className={styles.result}>
      <Plot
        data={plot}
        label={t('results.distribution.title')}
        heading={heading}
        hasTable
        onPoint={onPick ? (bin) => bins[bin]!.people > 0 && opener(bin)?.() : undefined}
      />
      <Scroll label={t('results.distribution.title')}>
        <table className={styles.table} aria-label={t('results.distribution.title')}>
          <thead>
            <tr>
              <th scope="col">{heading}</th>
              <th scope="col" className={styles.number}>
                {t('results.people')}
              </th>
              {isWhole && <th scope="col">{t('chart.share')}</th>}
              <th scope="col" className={styles.number}>
                {t('results.events')}
              </th>
            </tr>
          </thead>
          <tbody>
            {bins.map(({ people, events }, bin) => (
              <tr key={bin}>
                <th scope="row">{plot.labels[bin]}</th>
                <td className={styles.number}>
                  <Figure value={people} of={plot.labels[bin]!} onOpen={opener(bin)} />
                </td>
                {isWhole && (
                  <td>
                    <ShareBar share={people / all} />
                  </td>
                )}
                <td className={styles.number}>
                  <Counted value={events} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </div>
  )
}
