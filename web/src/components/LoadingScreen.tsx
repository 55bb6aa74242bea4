import styles from './LoadingScreen.module.css'

/** Until route and user are there. It has no words of its own: the language pack may still travel. */
export function LoadingScreen() {
  return (
    <div className={styles.screen} role="status" aria-busy="true" aria-label="加载中 / Loading">
      <span className={styles.mark} aria-hidden="true" />
    </div>
  )
}
