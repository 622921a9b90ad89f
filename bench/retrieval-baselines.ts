/**
 * What other engines reach on the same labelled queries, as measured once: recall@1/@5 in percent. Rows with an asterisk use word
 * tables that were fitted to these very queries.
 * @module
 */

/** Tracks A and B by language, on the queries at hand. */
export const RANKED_BASELINES: readonly (readonly string[])[] = [
  ['FastMCP BM25', '24.8/46.2', '27.4/52.1', '14.1/22.5', '37.5/63.3', '42.9/72.4', '13.6/22.7'],
  ['minisearch default', '22.6/39.6', '24.3/43.8', '15.5/22.5', '35.8/56.7', '39.8/62.2', '18.2/31.8'],
  ['minisearch tuned', '24.0/50.4', '25.3/55.2', '18.3/31.0', '37.5/67.5', '41.8/74.5', '18.2/36.4'],
  ['minisearch tuned + tables*', '38.7/69.1', '36.5/67.4', '47.9/76.1', '35.8/63.3', '34.7/64.3', '40.9/59.1'],
  ['lunr', '24.0/42.9', '26.7/48.3', '12.7/21.1', '36.7/60.0', '39.8/66.3', '22.7/31.8'],
  ['wink-bm25', '27.0/46.0', '30.6/52.1', '12.7/21.1', '44.2/65.0', '50.0/73.5', '18.2/27.3'],
  ['orama', '8.4/28.7', '9.7/33.0', '2.8/11.3', '9.2/20.8', '10.2/22.4', '4.5/13.6'],
  ['weighted BM25, no tables', '28.4/54.6', '30.9/60.1', '18.3/32.4', '53.3/73.3', '59.2/80.6', '27.3/40.9'],
  ['weighted BM25 + 30 kB tables*', '51.3/78.6', '49.0/77.1', '60.6/84.5', '64.2/86.7', '65.3/86.7', '59.1/86.4'],
  ['MiniLM-L6 int8', '43.2/71.0', '48.3/78.8', '22.5/39.4', '49.2/72.5', '54.1/80.6', '27.3/36.4'],
  ['MiniLM fused with the tables*', '53.5/81.9', '57.6/82.6', '36.6/78.9', '60.8/90.8', '64.3/90.8', '45.5/90.9'],
]

/** The same on queries written after all tables were fixed: what such tables are worth. They are not at hand here. */
export const FRESH_BASELINES: readonly (readonly string[])[] = [
  ['FastMCP BM25', '20.8/44.6', '29.2/58.3', '0.0/10.3', '44.4/55.6'],
  ['minisearch default', '15.8/39.6', '20.8/52.8', '3.4/6.9', '44.4/50.0'],
  ['minisearch tuned', '25.7/47.5', '36.1/62.5', '0.0/10.3', '66.7/83.3'],
  ['minisearch tuned + tables', '34.7/67.3', '31.9/68.1', '41.4/65.5', '50.0/88.9'],
  ['weighted BM25, no tables', '28.7/52.5', '36.1/65.3', '10.3/20.7', '55.6/83.3'],
  ['weighted BM25 + 30 kB tables', '43.6/72.3', '38.9/72.2', '55.2/72.4', '66.7/94.4'],
  ['MiniLM-L6 int8', '43.6/68.3', '55.6/81.9', '13.8/34.5', '55.6/88.9'],
]

/** Track R. */
export const REGEX_BASELINES: readonly (readonly string[])[] = [
  ['FastMCP regex, catalog order', '46.3/88.9'],
  ['FastMCP BM25 on the need', '63.0/94.4'],
  ['ranked by field of match', '92.6/100'],
]
