/**
 * Only the parts of ECharts that the charts use. Imported by loadEngine.ts alone, which keeps it
 * out of every page bundle.
 */
import { BarChart, LineChart, SankeyChart } from 'echarts/charts'
import { GridSimpleComponent } from 'echarts/components'
import { init, use as register } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'

// Canvas, because the SVG renderer writes style attributes, which the content security policy
// blocks.
register([BarChart, LineChart, SankeyChart, GridSimpleComponent, CanvasRenderer])

export { init }
