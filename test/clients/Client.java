import java.io.*;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

/** clients/java for check.py. */
class Client {
	static Instant instant = Instant.EPOCH;
	static byte[] bits;
	static Iuid.Maker maker;

	static class GivenClock extends Clock {
		@Override public Instant instant() { return instant; }
		@Override public ZoneId getZone() { return ZoneOffset.UTC; }
		@Override public Clock withZone(ZoneId zone) { return this; }
	}

	static class GivenRandom extends Random {
		private static final long serialVersionUID = 1;
		@Override public void nextBytes(byte[] bytes) { System.arraycopy(bits, 0, bytes, 0, bytes.length); }
	}

	static byte[] bytes(String hex) {
		byte[] all = new BigInteger("1" + hex, 16).toByteArray();
		int digits = hex.length() / 2;
		return Arrays.copyOfRange(all, all.length - digits, all.length);
	}

	static String text(String hex) { return new String(bytes(hex), StandardCharsets.UTF_8); }

	static Instant time(String microseconds) {
		long us = Long.parseLong(microseconds);
		return Instant.ofEpochSecond(Math.floorDiv(us, 1_000_000L), Math.floorMod(us, 1_000_000L) * 1000);
	}

	static Iuid make(int country, int entity, String clock, String random) {
		String[] parts = clock.split("\\.");
		String fraction = parts.length > 1 ? parts[1] : "";
		instant = Instant.ofEpochSecond(Long.parseLong(parts[0]), Long.parseLong((fraction + "000000000").substring(0, 9)));
		bits = bytes(random);
		return maker.make(country, entity);
	}

	static String fields(Iuid id) {
		return Stream.of(id.time().map(Instant::toEpochMilli), id.country(), id.entity(), id.random(), id.layout())
			.map(f -> f.toString().replaceAll("Optional.*empty", "~").replaceAll("Optional.*\\[|\\]", "")).collect(Collectors.joining(" "));
	}

	static String sorted(String[] a, Comparator<Iuid> order) {
		return Arrays.stream(a).skip(1).map(Iuid::parse).sorted(order).map(Iuid::toString).collect(Collectors.joining(" "));
	}

	static Object answer(String[] a) {
		boolean timed = a.length > 4 && !a[4].equals("~");
		int country = a[0].matches("name.*|make.*|country_floor") ? Integer.parseInt(a[1]) : a[0].equals("uuid") ? Integer.parseInt(a[2]) : 0;
		int entity = a[0].matches("name.*|make.*|country_floor") ? Integer.parseInt(a[2]) : a[0].equals("uuid") ? Integer.parseInt(a[3]) : 0;
		switch (a[0]) {
			case "read": return Iuid.parse(text(a[1]));
			case "from_uuid_bits": return Iuid.of(UUID.fromString(a[1]));
			case "fields": return fields(Iuid.parse(a[1]));
			case "floor": return Iuid.floor(time(a[1]));
			case "country_floor": return Iuid.countryFloor(country, entity);
			case "byte_order": return sorted(a, Comparator.naturalOrder());
			case "country_order": return sorted(a, Iuid.COUNTRY_ORDER);
			case "name": return timed ? Iuid.fromName(country, entity, text(a[3]), time(a[4])) : Iuid.fromName(country, entity, text(a[3]));
			case "name_bytes": return timed ? Iuid.fromName(country, entity, bytes(a[3]), time(a[4])) : Iuid.fromName(country, entity, bytes(a[3]));
			case "uuid":
				UUID uuid = UUID.fromString(a[1]);
				return timed ? Iuid.fromUuid(uuid, country, entity, time(a[4])) : Iuid.fromUuid(uuid, country, entity);
			case "hide": return Iuid.parse(a[1]).hide(bytes(a[2]));
			case "reveal": return Iuid.reveal(UUID.fromString(a[1]), bytes(a[2])).map(Iuid::toString).orElse("~");
			case "make_at":
				bits = bytes(a[4]);
				return maker.makeAt(country, entity, time(a[3]));
			case "start":
				maker = new Iuid.Maker(new GivenClock(), new GivenRandom());
				return "~";
			case "make": return make(country, entity, a[3], a[4]);
			default: throw new AssertionError(a[0]);
		}
	}

	static void vectors(PrintStream out) throws IOException {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		answer(new String[] {"start"});
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			try {
				out.println("= " + answer(line.split("\t", -1)));
			} catch (IllegalArgumentException error) {
				out.println("! " + error.getMessage().replaceAll("[\n\r]", " "));
			}
		}
	}

	static void makeInThreads(int count, PrintStream out) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(4);
		CyclicBarrier together = new CyclicBarrier(4);
		Callable<List<Iuid>> work = () -> {
			together.await();
			return Stream.generate(() -> Iuid.make(7, 1)).limit(count).collect(Collectors.toList());
		};
		int thread = 0;
		for (Future<List<Iuid>> made : threads.invokeAll(Collections.nCopies(4, work))) {
			for (Iuid id : made.get())
				out.println(thread + " " + id);
			thread++;
		}
		threads.shutdown();
	}

	static void takeTurns(PrintStream out) throws IOException {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		while (in.readLine() != null) {
			out.println(Iuid.make(7, 1));
			out.flush();
		}
	}

	static void check(String what, boolean holds) {
		if (!holds)
			throw new AssertionError(what);
	}

	static boolean fails(Runnable call) {
		try {
			call.run();
			return false;
		} catch (IllegalArgumentException expected) {
			return true;
		}
	}

	static boolean failsOfNull(Runnable call) {
		try {
			call.run();
			return false;
		} catch (NullPointerException expected) {
			return true;
		}
	}

	/** Whether another thread makes an identifier while one does. */
	static boolean makesBeside() throws Exception {
		CountDownLatch made = new CountDownLatch(1);
		BlockingQueue<Boolean> seen = new LinkedBlockingQueue<>();
		Iuid.Maker[] shared = new Iuid.Maker[1];
		Thread other = new Thread(() -> {
			shared[0].make(7, 1);
			made.countDown();
		});
		shared[0] = new Iuid.Maker(Clock.systemUTC(), new Random() {
			private static final long serialVersionUID = 1;
			@Override public void nextBytes(byte[] bytes) {
				if (Thread.currentThread() == other)
					return;
				try {
					other.start();
					seen.add(made.await(200, TimeUnit.MILLISECONDS));
				} catch (InterruptedException error) {
					throw new AssertionError(error);
				}
			}
		});
		shared[0].make(7, 1);
		other.join();
		return seen.take();
	}

	public static class Order {
		public Iuid id, none;
		public List<Iuid> others;
		public Map<Iuid, Integer> prices;
	}

	/** Libraries that the client does not need, so the compiler does not know them. */
	static void checkLibraries(Iuid id) throws Exception {
		Order order = new Order();
		order.id = id;
		order.others = List.of(id, Iuid.NIL);
		order.prices = Map.of(id, 1);
		Object jackson, gson;
		try {
			jackson = Class.forName("com.fasterxml.jackson.databind.ObjectMapper").getDeclaredConstructor().newInstance();
			gson = Class.forName("com.google.gson.Gson").getDeclaredConstructor().newInstance();
		} catch (ClassNotFoundException missing) {
			System.out.println("SKIPPED: " + missing.getMessage() + " is not installed");
			return;
		}
		java.lang.reflect.Method write = jackson.getClass().getMethod("writeValueAsString", Object.class);
		java.lang.reflect.Method read = jackson.getClass().getMethod("readValue", String.class, Class.class);
		String text = (String) write.invoke(jackson, order);
		String expected = "{'id':'I','none':null,'others':['I','00000000-0000-0000-0000-000000000000'],'prices':{'I':1}}";
		check("Jackson writes " + text, text.equals(expected.replace("I", id.toString()).replace('\'', '"')));
		Order back = (Order) read.invoke(jackson, text, Order.class);
		check("Jackson reads", back.id.equals(id) && back.none == null && back.others.equals(order.others) && back.prices.equals(order.prices));
		check("Jackson reads braces", read.invoke(jackson, "\"{" + id.toString().toUpperCase() + "}\"", Iuid.class).equals(id));
		for (String wrong : List.of("\"\"", "\"a\"", "\"" + UUID.randomUUID() + "\"", "1", "1.5", "true", "[]", "{}", "{\"high\":0,\"low\":0}"))
			try {
				check("Jackson reads " + wrong + " as " + read.invoke(jackson, wrong, Iuid.class), false);
			} catch (java.lang.reflect.InvocationTargetException refused) {
				check("Jackson refuses " + wrong, refused.getCause() instanceof IOException);
			}

		// Gson writes fields, of which the one is a text: no number that a browser rounds.
		text = (String) gson.getClass().getMethod("toJson", Object.class).invoke(gson, id);
		check("Gson writes " + text, text.equals("{\"uuid\":\"" + id + "\"}"));
		check("Gson reads", gson.getClass().getMethod("fromJson", String.class, Class.class).invoke(gson, text, Iuid.class).equals(id));
	}

	static void own() throws Exception {
		Iuid id = Iuid.make(125, 1);
		checkLibraries(id);
		check("a CharSequence", new StringBuilder().append(id).append(id.subSequence(8, 9)).toString().equals(id + "-") && id.length() == 36 && id.compareTo(Iuid.MAX) < 0);
		check("equals", !id.equals(null) && !id.equals(id.toUuid()) && Set.of(id, Iuid.NIL).contains(Iuid.valueOf(id.toString())));
		check("null", Stream.<Runnable>of(() -> Iuid.parse(null), () -> Iuid.of(null), () -> Iuid.makeAt(1, 2, null), () -> Iuid.floor(null),
			() -> Iuid.fromName(1, 2, (String) null), () -> Iuid.fromName(1, 2, (byte[]) null), () -> Iuid.fromName(1, 2, "a", null),
			() -> Iuid.fromUuid(null, 1, 2), () -> Iuid.fromUuid(UUID.randomUUID(), 1, 2, null), () -> id.hide(null),
			() -> Iuid.reveal(null, new byte[32]), () -> Iuid.reveal(UUID.randomUUID(), null), () -> id.compareTo(null)).allMatch(Client::failsOfNull));
		check("keys", IntStream.of(0, 16, 31, 33, 64).allMatch(size -> fails(() -> id.hide(new byte[size])) && fails(() -> Iuid.reveal(UUID.randomUUID(), new byte[size]))));
		check("UUID", Iuid.of(id.toUuid()).equals(id) && Iuid.of(id.toUuid()).hashCode() == id.hashCode() && id.toUuid().version() == 8);
		check("another UUID", fails(() -> Iuid.of(UUID.randomUUID())) && fails(() -> new Iuid(0, 1)));
		check("half a character", fails(() -> Iuid.fromName(1, 2, "caf\ud800")));
		check("time", Iuid.makeAt(1, 2, id.time().get()).time().equals(id.time()));
		check("far times", Iuid.floor(Instant.MAX).equals(Iuid.MAX) && Iuid.floor(Instant.MIN).equals(Iuid.NIL) && fails(() -> Iuid.makeAt(1, 2, Instant.MAX)));
		check("R15: two threads are in a Maker at once", !makesBeside());
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		new ObjectOutputStream(bytes).writeObject(id);
		check("serialized", new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject().equals(id));
		byte[] other = bytes.toByteArray();
		for (int i = other.length - 16; i < other.length; i++)
			other[i] = 1;
		check("what was serialized elsewhere", fails(() -> {
			try {
				new ObjectInputStream(new ByteArrayInputStream(other)).readObject();
			} catch (IOException | ClassNotFoundException error) {
				throw new AssertionError(error);
			}
		}));

		// An interrupt is for whoever waits: a Maker does not.
		Thread.currentThread().interrupt();
		check("interrupted", Iuid.make(7, 1).compareTo(id) > 0 && Thread.interrupted());

		// What fails in a Maker leaves it as it was, and a clock that makes identifiers does not stop it.
		Iuid.Maker[] nested = new Iuid.Maker[1];
		List<Iuid> made = new ArrayList<>();
		int[] turn = {0};
		nested[0] = new Iuid.Maker(new GivenClock() {
			@Override public Instant instant() {
				if (++turn[0] == 2)
					made.add(nested[0].make(7, 1));
				if (turn[0] == 4)
					throw new IllegalStateException();
				return Instant.EPOCH;
			}
		}, new SecureRandom());
		made.add(nested[0].make(7, 1));
		made.add(nested[0].make(7, 1));
		try {
			nested[0].make(7, 1);
		} catch (IllegalStateException expected) {
			made.add(nested[0].make(7, 1));
		}
		check("nested: " + made, made.size() == 4 && made.equals(made.stream().sorted().distinct().collect(Collectors.toList())));
	}

	public static void main(String[] arguments) throws Exception {
		try (PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)), false, StandardCharsets.UTF_8)) {
			switch (arguments[0]) {
				case "vectors" -> vectors(out);
				case "make" -> makeInThreads(Integer.parseInt(arguments[1]), out);
				case "turns" -> takeTurns(out);
				default -> own();
			}
		}
	}
}
