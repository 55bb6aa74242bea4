/** Only what the charts use of the library. Imported by loadEngine.ts alone, so that it stays out of every page. */
import { BarChart, LineChart, SankeyChart } from 'echarts/charts'
import { GridSimpleComponent } from 'echarts/components'
import { init, use as register } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'

// On a canvas: the SVG renderer writes style attributes, which the content policy refuses.
register([BarChart, LineChart, SankeyChart, GridSimpleComponent, CanvasRenderer])

export { init }
