import { BrandArch } from './BrandMark'
import styles from './LoadingScreen.module.css'

/** Until route and user are there: what index.html shows from the first moment, and a ring later. It has no words of its own: the language pack may still travel. */
export function LoadingScreen() {
  return (
    <div className={styles.screen} role="status" aria-busy="true" aria-label="加载中 / Loading">
      <span className={styles.ring} aria-hidden="true" />
      <BrandArch size={40} />
    </div>
  )
}
