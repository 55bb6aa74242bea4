import styles from './CodeBlock.module.css'

/** Lines to be copied as they are. Wide ones scroll inside, so the keyboard can get into it. */
export function CodeBlock({ label, children }: { label: string; children: string }) {
  return (
    <pre className={styles.code} role="group" aria-label={label} tabIndex={0}>
      {children}
    </pre>
  )
}
