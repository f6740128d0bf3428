import java.util.UUID;

final class Cost {
	static void measure(String way, int count, Runnable call) {
		long begin = System.nanoTime();
		for (int i = 0; i < count; i++) {
			call.run();
		}
		System.out.println(way + "\t" + (double) (System.nanoTime() - begin) / count);
	}

	public static void main(String[] arguments) {
		int count = Integer.parseInt(arguments[0]);
		measure("Iuid.make(7, 1)", count, () -> Iuid.make(7, 1));
		measure("UUID.randomUUID()", count, () -> UUID.randomUUID());
	}
}
