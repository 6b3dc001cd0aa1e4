class Main {
	static function main() {
		var names = new Map<Int, String>();
		for (i in 0...20000)
			names.set(i, "x" + i);
		trace(Lambda.count(names));
	}
}
