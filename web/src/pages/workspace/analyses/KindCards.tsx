import { Link } from 'react-router'
import { KindIcon } from '../../../components/analyses/kinds'
import { KINDS } from '../../../components/analyses/question'
import { useT } from '../../../i18n/useT'
import { paths } from '../../../paths'
import { useApp } from '../../../session/app'
import styles from './analyses.module.css'

/** What can be asked: one card per kind. */
export function KindCards() {
  const t = useT()
  const { app } = useApp()
  return (
    <nav aria-label={t('analyses.begin')}>
      <ul className={styles.kinds}>
        {[...KINDS, 'cohort' as const].map((kind) => (
          <li key={kind}>
            <Link
              className={styles.kind}
              to={
                kind === 'cohort'
                  ? paths.workspace.cohorts(app)
                  : paths.workspace.analysis(app, kind)
              }
            >
              <span className={styles.kindName}>
                <KindIcon kind={kind} /> {t(`analyses.kind.${kind}`)}
              </span>
              <span className={styles.soft}>{t(`analyses.about.${kind}`)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
