// Adds to each time what the reader's clock says.
for (const time of document.querySelectorAll('time[data-ms]')) {
	const here = new Date(Number(time.dataset.ms)).toLocaleString(undefined, {
		dateStyle: 'medium', timeStyle: 'long' });
	time.after(` (here ${here})`);
}
