import styles from './CodeBlock.module.css'

/** Lines to copy as they are. Wide ones scroll inside the block, so it is focusable. */
export function CodeBlock({ label, children }: { label: string; children: string }) {
  return (
    <pre className={styles.code} role="group" aria-label={label} tabIndex={0}>
      {children}
    </pre>
  )
}
