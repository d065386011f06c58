// Numbers as a language writes them: the same on the live page, in files and on other pages.

/**
 * @param {number} value
 * @param {string} language
 * @param {number} digits after the decimal sign, at most
 * @param {number} least of them
 * @returns {string}
 */
export function written(value, language, digits = 0, least = digits) {
  const options = { minimumFractionDigits: least, maximumFractionDigits: digits };
  return value.toLocaleString(language, options).replace("-", "−");
}
