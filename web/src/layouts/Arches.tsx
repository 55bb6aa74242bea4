/** A colonnade built from the logo's arch. Decorative. */
const WIDTH = 76
const GAP = 20

/** Heights rise and fall like a quiet chart. */
const HEIGHTS = [120, 168, 144, 208, 188, 256, 232, 300]

export function Arches({ className }: { className?: string }) {
  const height = Math.max(...HEIGHTS)
  const width = HEIGHTS.length * (WIDTH + GAP) - GAP
  return (
    <svg className={className} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {HEIGHTS.map((tall, index) => (
        <path
          key={index}
          d={arch(index * (WIDTH + GAP), height, tall)}
          fill="var(--brand)"
          fillOpacity={0.1 + index * 0.055}
        />
      ))}
    </svg>
  )
}

function arch(left: number, bottom: number, tall: number): string {
  const radius = WIDTH / 2
  const spring = bottom - tall + radius
  return `M${left} ${bottom}V${spring}a${radius} ${radius} 0 0 1 ${WIDTH} 0V${bottom}z`
}
