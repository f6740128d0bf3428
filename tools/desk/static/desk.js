// Shows each time by the reader's clock; UTC is its title.
const clock = new Intl.DateTimeFormat(undefined, {
	year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit',
	fractionalSecondDigits: 3, timeZoneName: 'short' });
for (const time of document.querySelectorAll('time[data-ms]')) {
	time.title = time.textContent;
	time.textContent = clock.format(new Date(Number(time.dataset.ms)));
}
