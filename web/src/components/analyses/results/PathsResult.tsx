/** The paths people take from an event, or to it. */
import { Button } from 'antd'
import { useCallback, useImperativeHandle, useMemo, useState } from 'react'
import type { PathNode, PathsAnswer, PathsQuestion } from '../../../api/analysisTypes'
import { chartColors } from '../../charts/colors'
import { pictureOf } from '../../charts/picture'
import { useT } from '../../../i18n/useT'
import { PathsTable } from './PathsTable'
import type { OnPick, ResultProps } from './result'
import {
  flowsOf,
  pickOfPlace,
  pickOfFlow,
  placesOf,
  sankeyHeight,
  sankeyOption,
  type Flow,
  type Place,
} from './flows'
import { Sankey } from './Sankey'
import { Nothing, View } from './View'
import { nodeName } from './words'
import styles from './results.module.css'

const VIEWS = ['flow', 'table'] as const

interface PathsResultProps extends ResultProps<PathsQuestion, PathsAnswer> {
  /** Asks the same question from the chosen node. */
  onStart: (node: PathNode) => void
}

export function PathsResult({ answer, onPick, onStart, ref }: PathsResultProps) {
  const t = useT()
  const [view, setView] = useState<(typeof VIEWS)[number]>('flow')
  const [chosen, setChosen] = useState<string | null>(null)
  const { side, people } = answer
  const flows = useMemo(() => flowsOf(answer), [answer])
  const place = useMemo(() => placesOf(flows).find(({ id }) => id === chosen), [flows, chosen])
  useImperativeHandle(
    ref,
    () => ({
      toPng: (title = '', note) => {
        const drawing = { flows, side, colors: chartColors(false), animated: false, t }
        return pictureOf({
          title,
          note,
          legend: [],
          height: sankeyHeight(flows),
          option: (width) => sankeyOption({ ...drawing, width }),
        })
      },
    }),
    [flows, side, t],
  )
  const onFlow = useMemo(() => onPick && ((flow: Flow) => onPick(pickOfFlow(flow))), [onPick])
  const onPlace = useCallback((id: string) => setChosen(id), [])
  if (people === 0) return <Nothing />
  return (
    <View
      value={view}
      choices={VIEWS.map((value) => ({ value, name: t(`results.paths.view.${value}`) }))}
      onChoose={setView}
      beside={
        <span className={styles.soft}>{t(`results.paths.people.${side}`, { count: people })}</span>
      }
    >
      {flows.length === 0 ? (
        <p className={styles.nothing}>{t(`results.paths.none.${side}`)}</p>
      ) : view === 'flow' ? (
        <>
          <Sankey
            flows={flows}
            side={side}
            label={t('results.paths.title')}
            onPlace={onPlace}
            onFlow={onFlow}
          />
          {place ? (
            <Chosen
              place={place}
              side={side}
              onPick={onPick}
              onStart={onStart}
              onClose={() => setChosen(null)}
            />
          ) : (
            <p className={styles.note}>{t('results.paths.hint')}</p>
          )}
          <div className="visually-hidden">
            <PathsTable flows={flows} side={side} onPick={null} onStart={null} />
          </div>
        </>
      ) : (
        <PathsTable flows={flows} side={side} onPick={onPick} onStart={onStart} />
      )}
    </View>
  )
}

interface ChosenProps {
  place: Place
  side: PathsAnswer['side']
  onPick: OnPick
  onStart: (node: PathNode) => void
  onClose: () => void
}

/** Actions for the selected node. */
function Chosen({ place, side, onPick, onStart, onClose }: ChosenProps) {
  const t = useT()
  return (
    <div className={styles.chosen} role="group" aria-label={t('results.paths.chosen')}>
      <span>{nodeName(place.node, t)}</span>
      {onPick && (
        <Button size="small" onClick={() => onPick(pickOfPlace(place))}>
          {t('results.seePeople')}
        </Button>
      )}
      {place.node.kind === 'event' && place.distance > 0 && (
        <Button size="small" onClick={() => onStart(place.node)}>
          {t(`results.paths.start.${side}`)}
        </Button>
      )}
      <Button size="small" type="text" onClick={onClose}>
        {t('common.close')}
      </Button>
    </div>
  )
}
