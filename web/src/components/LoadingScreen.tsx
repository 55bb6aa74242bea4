import { BrandArch } from './BrandMark'
import styles from './LoadingScreen.module.css'

/**
 * Shown until the route and user have loaded: what index.html shows from the start, plus a ring
 * later. It has no text, because the language pack may still be loading.
 */
export function LoadingScreen() {
  return (
    <div className={styles.screen} role="status" aria-busy="true" aria-label="加载中 / Loading">
      <span className={styles.ring} aria-hidden="true" />
      <BrandArch size={40} />
    </div>
  )
}
